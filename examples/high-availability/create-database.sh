#!/bin/sh
# Patroni runs this once, on the first leader, with the address of PostgreSQL as the only argument. Creates the role
# and the database of the service, with PETSTORE_PASSWORD as password.
set -eu
# psql quotes the password, whatever characters it has.
psql "$1" --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set password="${PETSTORE_PASSWORD:?set the password of the service}" <<'SQL'
CREATE ROLE petstore LOGIN PASSWORD :'password';
CREATE DATABASE petstore OWNER petstore;
SQL
