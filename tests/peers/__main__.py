"""Runs the programs of replaced packages: ``make peers``, or ``make peers PEER=seqeval``.

Suites are the tests in the source archives of the packages, with the package and with spanrs; clients are programs that
use a package, whose outputs are compared. Outputs that are recorded for the gate are checked, and recorded again with
``--record NAME``.
"""

from __future__ import annotations

import argparse
import sys

from peers import clients, recordings, suites


def main() -> int:
    """Run what is named, by default all suites and clients; return the exit status."""
    parser = argparse.ArgumentParser(prog="peers", description=__doc__)
    names = sorted({*suites.SUITES, *clients.CLIENTS, *recordings.RECORDINGS, "iobes"})
    parser.add_argument("names", metavar="PEER", nargs="*", help=f"one of {', '.join(names)}")
    parser.add_argument(
        "--record", metavar="NAME", choices=sorted(recordings.RECORDINGS), action="append", default=[]
    )
    options = parser.parse_args()
    unknown = sorted({*options.names} - {*names})
    if unknown:
        parser.error(f"unknown peer {unknown[0]}; choose from {', '.join(names)}")
    for name in options.record:
        print(recordings.record(name))
    if options.record:
        return 0
    failed = 0
    for name in options.names or names:
        if name in suites.SUITES:
            failed += not suites.run(name)
        if name in recordings.RECORDINGS:
            failed += not recordings.check(name)
        if name == "iobes":
            failed += not suites.run_iobes()
        if name in clients.CLIENTS:
            failed += not clients.run(name)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
