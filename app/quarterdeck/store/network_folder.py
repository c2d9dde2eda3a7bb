"""Whether a folder lies on a network file system, where locks and renames do not hold what the store relies on.

By the system's table of mounts; where there is none (other systems than Linux) the answer is "not known to be".
"""

from __future__ import annotations

import os
from pathlib import Path

from quarterdeck.store.settings_part import FILE_NAME, config_folder, settings_part

MOUNTS = Path("/proc/self/mountinfo")
NETWORK_VARIABLE = "QUARTERDECK_ALLOW_NETWORK_FOLDER"
"""`1` admits a data folder on a network, as the settings may."""

NETWORK_SYSTEMS = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "coda", "9p", "virtiofs"),
        *("ceph", "glusterfs", "lustre", "gfs2", "ocfs2", "beegfs", "orangefs", "pvfs2", "davfs"),
        *(
            "fuse.sshfs",
            "fuse.rclone",
            "fuse.s3fs",
            "fuse.gcsfuse",
            "fuse.davfs",
            "fuse.davfs2",
            "fuse.curlftpfs",
        ),
        *("fuse.ceph", "fuse.glusterfs", "fuse.smbnetfs", "fuse.gvfsd-fuse", "fuse.afp", "fuse.juicefs"),
    }
)
"""Names as the kernel gives them. NFS and SMB by every version; of FUSE those that reach over a network."""


def refused_system(folder: Path) -> str:
    """Name of the network file system that holds the folder, where nothing admits it; else empty."""
    system = network_system(folder)
    if system and os.environ.get(NETWORK_VARIABLE) != "1":
        return "" if _is_admitted(config_folder() / FILE_NAME) else system
    return ""


def _is_admitted(settings: Path) -> bool:
    """Whether the settings admit a data folder on a network file system."""
    return settings_part(settings, "keeping").get("network_folder") is True


def network_system(folder: Path, mounts: Path = MOUNTS) -> str:
    """Name of the network file system that holds the folder, or would once it is made; empty where it is none.

    A system whose root itself is such a mount is left alone: there is no other place on it.
    """
    point, kind = file_system(folder, mounts)
    return kind if kind in NETWORK_SYSTEMS and point != "/" else ""


def file_system(folder: Path, mounts: Path = MOUNTS) -> tuple[str, str]:
    """(where it is mounted, its kind) of the file system that holds the folder, or would; both empty where that is not told."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return "", ""
    place = os.path.realpath(folder)
    best, kind = "", ""
    for line in lines:
        fields, _, rest = line.partition(" - ")
        point = _unescaped(fields.split(" ")[4]) if fields.count(" ") >= 4 else ""
        is_above = point and (place == point or place.startswith(point.rstrip("/") + "/"))
        if is_above and len(point) >= len(best):
            best, kind = point, rest.split(" ")[0]
    return best, kind


def _unescaped(text: str) -> str:
    for escape, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(escape, char)
    return text
