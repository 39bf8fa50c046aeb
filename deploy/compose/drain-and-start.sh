#!/bin/sh
# Installs a release that changes the data layout of Redis. Releases with different layouts cannot share one Redis, so
# this script stops the replicas, drains Redis into PostgreSQL and empties it, stops the workers, migrates, and starts
# everything from the new images (docs/rolling-releases.md). Meanwhile users are disconnected and random chats end; no
# acknowledged data is lost.
# Run it after `docker compose build`, with the same environment or .env file as `docker compose up`.
set -eu

if [ -z "${COMPOSE_FILE:-}" ]; then
  COMPOSE_FILE=$(dirname "$0")/../../docker-compose.yml
  export COMPOSE_FILE
fi

# grep fails if it counts no line.
count_containers() {
  docker compose ps -q "$1" | grep -c . || true
}

replicas=$(count_containers backend)
workers=$(count_containers worker)
if [ "$replicas" -eq 0 ] || [ "$workers" -eq 0 ]; then
  echo 'Replicas and workers of the current release must be running.' >&2
  exit 1
fi

docker compose stop backend
# Draining runs in a worker of the current release, because it knows the old layout of Redis.
worker=$(docker compose ps -q worker | head -n 1)
if ! docker exec "$worker" node --enable-source-maps backend/dist/main.migrate.js --drain; then
  echo 'Redis is not drained: nothing was deleted, and the replicas are started again.' >&2
  docker compose start backend
  exit 1
fi
docker compose stop worker
# The new release may need a new secret, or an existing secret in one more service.
docker compose run --rm --no-deps secrets
docker compose run --rm --no-deps migrate
# Workers first: they have to know every type of event that the new replicas append.
docker compose up -d --no-deps --wait --scale "worker=$workers" worker
docker compose up -d --no-deps --wait --scale "backend=$replicas" backend
docker compose up -d --no-deps --wait frontend
