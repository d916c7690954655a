"""A small HTTP proxy on loopback that does to S3 requests what networks and busy servers do."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

_CHUNK_BYTES = 64 * 1024


@dataclass
class Fault:
    """What happens to the next `times` requests with this method (and this text in the path), then no more."""

    method: str
    times: int = 1
    path_has: str = ""
    cut_after: int | None = None  # bytes of the response's body let through before the connection breaks
    answer: tuple[int, str] | None = None  # status and S3 code sent instead of asking the server
    lose_answer: bool = False  # the server acts, and the connection breaks before its answer
    corrupt: bytes = b""  # where this first comes up in the request's body, a bit is flipped
    corrupt_answer: bool = False  # the first byte of the response's body is flipped
    first: Callable[[], object] = lambda: None  # done before the request is passed on


@dataclass
class FaultyProxy:
    """Passes requests on to `upstream`, apart from its `faults`; `requests` is what came by, as (method, Range).

    Requests with a method in `one_at_a_time` wait for each other.
    """

    upstream: str
    endpoint: str = ""
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    one_at_a_time: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    queue: threading.Lock = field(default_factory=threading.Lock)

    def reset(self) -> None:
        self.faults.clear()
        self.requests.clear()
        self.one_at_a_time = ""

    def fault_for(self, method: str, path: str) -> Fault:
        with self.lock:
            for fault in self.faults:
                if fault.times and fault.method == method and fault.path_has in path:
                    fault.times -= 1
                    return fault
        return Fault(method)


@contextmanager
def faulty_proxy(upstream: str, certificate: Path | None = None) -> Iterator[FaultyProxy]:
    """A proxy on a port of its own; with a certificate (and its key in the same file) it speaks TLS."""
    proxy = FaultyProxy(upstream)

    class Handler(_Handler):
        pass

    Handler.proxy = proxy
    server = _Server(("127.0.0.1", 0), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        # The handshake waits for the handler's thread: an untrusting client must not stop the others.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    proxy.endpoint = f"{'https' if certificate else 'http'}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that go away, or do not trust us, are what the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    proxy: FaultyProxy
    protocol_version = "HTTP/1.1"

    def _serve(self) -> None:
        body = self._chunks() if self._is_chunked() else self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.proxy.requests.append((self.command, self.headers.get("Range")))
        fault = self.proxy.fault_for(self.command, self.path)
        fault.first()
        if fault.answer:
            self._answer(*fault.answer)
            return
        if fault.corrupt:
            at = body.index(fault.corrupt)
            body = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]
        upstream = http.client.HTTPConnection(urlsplit(self.proxy.upstream).netloc, timeout=60)
        try:
            # The Host header goes through as it came, as it is part of the signature.
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() != "expect":
                    upstream.putheader(name, value)
            with self.proxy.queue if self.command == self.proxy.one_at_a_time else nullcontext():
                upstream.endheaders(body)
                response = upstream.getresponse()
            if fault.lose_answer:
                response.read()
                self._break()
            else:
                self._pass_back(response, fault)
        finally:
            upstream.close()

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _serve

    def _is_chunked(self) -> bool:
        return self.headers.get("Transfer-Encoding") == "chunked"

    def _chunks(self) -> bytes:
        """The body as it came, with the sizes of its chunks."""
        lines = b""
        while size := int(line := self.rfile.readline(), 16):
            lines += line + self.rfile.read(size + 2)
        return lines + line + self.rfile.readline()

    def _pass_back(self, response: http.client.HTTPResponse, fault: Fault) -> None:
        if response.getheader("Content-Length") is None and response.status != 204:
            whole = response.read()
            self._head(response, [("Content-Length", str(len(whole)))])
            self.wfile.write(whole)
            return
        self._head(response, [])
        left = fault.cut_after
        while chunk := response.read(_CHUNK_BYTES if left is None else min(left, _CHUNK_BYTES)):
            if fault.corrupt_answer:
                chunk, fault.corrupt_answer = bytes([chunk[0] ^ 1]) + chunk[1:], False
            self.wfile.write(chunk)
            left = None if left is None else left - len(chunk)
        if fault.cut_after is not None:
            self._break()

    def _head(self, response: http.client.HTTPResponse, more: list[tuple[str, str]]) -> None:
        self.send_response_only(response.status)
        for name, value in [*response.getheaders(), *more]:
            if name.lower() not in ("connection", "transfer-encoding"):
                self.send_header(name, value)
        self.end_headers()

    def _answer(self, status: int, code: str) -> None:
        body = f"<Error><Code>{code}</Code><Message>said the proxy</Message></Error>".encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _break(self) -> None:
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass
