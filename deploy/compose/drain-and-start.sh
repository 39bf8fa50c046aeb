#!/bin/sh
# Installs a release that changes the layout of Redis, which releases of two layouts cannot share: stops the replicas,
# drains Redis into PostgreSQL and empties it, stops the workers, migrates, and starts everything from the new images
# (docs/rolling-releases.md). Sockets are disconnected meanwhile and random chats end; no acknowledged data is lost.
# Run it after `docker compose build`, with the environment, or the .env file, that `docker compose up` was run with.
set -eu

if [ -z "${COMPOSE_FILE:-}" ]; then
  COMPOSE_FILE=$(dirname "$0")/../../docker-compose.yml
  export COMPOSE_FILE
fi

count_of() {
  docker compose ps -q "$1" | grep -c . || true
}

replicas=$(count_of backend)
workers=$(count_of worker)
if [ "$replicas" -eq 0 ] || [ "$workers" -eq 0 ]; then
  echo 'Replicas and workers of the present release must be running.' >&2
  exit 1
fi

docker compose stop backend
# Runs in a worker of the present release, which knows the layout of Redis.
worker=$(docker compose ps -q worker | head -n 1)
if ! docker exec "$worker" node --enable-source-maps backend/dist/main.migrate.js --drain; then
  echo 'Redis is not drained: nothing was deleted, and the replicas are started again.' >&2
  docker compose start backend
  exit 1
fi
docker compose stop worker
# A release may bring a secret, or a reader of one, that was not there before.
docker compose run --rm --no-deps secrets
docker compose run --rm --no-deps migrate
docker compose up -d --no-deps --wait --scale "worker=$workers" worker
docker compose up -d --no-deps --wait --scale "backend=$replicas" backend
docker compose up -d --no-deps --wait frontend
