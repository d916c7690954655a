"""Over TLS, where botocore sends bodies in another way (in chunks, the checksum last) and connections break otherwise."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from handler import storage
from handler.errors import StorageError
from tests.s3_fixtures import Use
from tests.servers import S3Server

from .proxy import Fault, FaultyProxy, faulty_proxy

DATA = Random(4).randbytes(9 * 1024 * 1024)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for 127.0.0.1 and its key, in one file."""
    x509 = pytest.importorskip("cryptography.x509", reason="cryptography comes with moto: pip install scenescore[dev]")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tests")])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(signed.public_bytes(pem) + private)
    return path


@pytest.fixture
def tls(seaweedfs_server: S3Server, certificate: Path, use: Use) -> Iterator[FaultyProxy]:
    with faulty_proxy(seaweedfs_server.endpoint, certificate) as proxy:
        use(S3Server("tls", proxy.endpoint), AWS_CA_BUNDLE=str(certificate), AWS_MAX_ATTEMPTS="3")
        yield proxy


@pytest.mark.parametrize("size", [0, 1, 100_000, len(DATA)])
def test_round_trip(tls: FaultyProxy, folder: str, size: int) -> None:
    storage.write_bytes(f"{folder}/x", DATA[:size], if_absent=True)
    assert storage.read_bytes(f"{folder}/x") == DATA[:size]


def test_a_cut_is_taken_up_where_it_broke(tls: FaultyProxy, folder: str) -> None:
    storage.write_bytes(f"{folder}/x", DATA)
    cut = Fault("GET", cut_after=len(DATA) // 2)
    tls.faults.append(cut)
    assert storage.read_bytes(f"{folder}/x") == DATA
    assert cut.times == 0


def test_bytes_damaged_on_the_way_are_refused(tls: FaultyProxy, folder: str) -> None:
    tls.faults.append(Fault("PUT", corrupt=b"small"))
    with pytest.raises(storage.ChecksumError, match="arrived damaged and were refused"):
        storage.write_bytes(f"{folder}/x", b"small")
    assert storage.stat(f"{folder}/x") is None


def test_a_stranger_is_not_trusted(tls: FaultyProxy, use: Use, folder: str) -> None:
    use(S3Server("tls", tls.endpoint), AWS_MAX_ATTEMPTS="1")
    with pytest.raises(StorageError, match=r"no trusted connection to the store \(SSLError\)\. Check AWS_CA_BUNDLE"):
        storage.read_bytes(f"{folder}/x")
