#!/bin/sh
# The archive_command of PostgreSQL, for a folder on another disk or machine (docs/BACKUP.md):
#
#   install -m 755 examples/archive-wal.sh /usr/local/bin/archive-wal
#   archive_command = '/usr/local/bin/archive-wal %p /archive/%f'
#
# PostgreSQL discards a file of its log once this succeeds, so the file is on disk by then.
set -eu
# After a crash a file may come again. It must be the same, not one of another server.
if [ -e "$2" ]; then exec cmp -s "$1" "$2"; fi
cp "$1" "$2.partial"
sync "$2.partial"
mv "$2.partial" "$2"
sync "$(dirname "$2")"
