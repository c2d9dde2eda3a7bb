"""Entry file of the fork server, run as `python -I -S fork_server_entry.py <app folder> <control socket>`.

A packaged program calls `quarterdeck.shim.fork_server.main(sys.argv)` behind client.FROZEN_SWITCH instead.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    from quarterdeck.shim.fork_server import main

    sys.exit(main(sys.argv))
