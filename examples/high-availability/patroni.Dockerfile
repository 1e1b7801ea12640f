# PostgreSQL 15 with Patroni. Patroni's own user must be the one that runs PostgreSQL.
#
#   docker build -f examples/high-availability/patroni.Dockerfile -t petstore-postgres .

FROM postgres:15-bookworm
RUN apt-get update \
 && apt-get install --yes --no-install-recommends python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && python3 -m venv /opt/patroni \
 && /opt/patroni/bin/pip install --no-cache-dir 'patroni[etcd3]==4.1.5' 'psycopg2-binary==2.9.13' \
 && install -d -o postgres -g postgres -m 700 /var/lib/postgresql/15
COPY examples/high-availability/patroni.yml examples/high-availability/create-database.sh /etc/patroni/
USER postgres
VOLUME /var/lib/postgresql/15
EXPOSE 5432 8008
ENTRYPOINT ["/opt/patroni/bin/patroni"]
CMD ["/etc/patroni/patroni.yml"]
