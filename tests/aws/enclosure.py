"""A place as bare as Lambda's: nothing writable but /tmp, no /dev/shm, no HOME, a user that exists nowhere.

Made of mounts that only the enclosed processes see and that end with them. It takes root.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

# $1: a user id. $2: the working folder. $3: the number of folders shown, which follow; then the command.
_SCRIPT = """
set -eu
user=$1 folder=$2 count=$3
shift 3
root=/mnt
mount -t tmpfs -o mode=755 tmpfs $root
show() {
  if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root$(dirname "$1")"; : > "$root$1"; fi
  mount --bind "$1" "$root$1"
}
for path in /usr /etc /proc /dev/null /dev/urandom /dev/zero; do show $path; done
for name in bin lib lib64 sbin; do
  if [ -L /$name ]; then cp -P /$name $root/$name; elif [ -d /$name ]; then show /$name; fi
done
mkdir $root/tmp
mount -t tmpfs -o mode=1777,size=512m tmpfs $root/tmp
while [ $count -gt 0 ]; do
  show "$1"
  mount -o remount,bind,ro "$root$1"
  shift
  count=$((count - 1))
done
mount -o remount,ro $root
exec chroot $root env -C "$folder" setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs "$@"
"""


def enclose(*folders: Path) -> Sequence[str]:
    """The command that starts another one inside, in the first folder.

    The folders, and this Python, can be read there under the names they have here.
    """
    user = str(random.randrange(100_000, 2**31))
    shown = [str(folder) for folder in dict.fromkeys([*folders, *_python()])]
    return ["unshare", "--mount", "sh", "-c", _SCRIPT, "enclosure", user, shown[0], str(len(shown)), *shown]


@cache
def why_not() -> str | None:
    """The reason that nothing can be enclosed here; None when it works."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "enclosing a process takes root on Linux"
    missing = [name for name in ("unshare", "setpriv", "chroot") if shutil.which(name) is None]
    if missing:
        return f"enclosing a process takes {', '.join(missing)} (Debian: util-linux, coreutils)"
    done = subprocess.run([*enclose(), "true"], capture_output=True, text=True, timeout=30, cwd="/")
    return f"mounts cannot be made here: {done.stderr.strip()}" if done.returncode else None


def _python() -> list[Path]:
    return [Path(sys.base_prefix), Path(sys.prefix)]
