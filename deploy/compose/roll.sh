#!/bin/sh
# Replaces every replica by a new one, made of the images and settings that are there now, one after another:
#   sh deploy/compose/roll.sh [service]      `backend` unless another is named
# There is always one more than is needed, and one leaves only when the new one is ready. To be run with the
# environment, or the .env file, that `docker compose up` was run with.
set -eu

service=${1:-backend}
if [ -z "${COMPOSE_FILE:-}" ]; then
  COMPOSE_FILE=$(dirname "$0")/../../docker-compose.yml
  export COMPOSE_FILE
fi

old=$(docker compose ps -q "$service")
count=$(printf '%s' "$old" | grep -c . || true)
if [ "$count" -eq 0 ]; then
  echo "No $service is running." >&2
  exit 1
fi

for replica in $old; do
  docker compose up -d --no-deps --no-recreate --wait --scale "$service=$((count + 1))" "$service"
  # SIGTERM, then as long as stop_grace_period says.
  docker stop "$replica" >/dev/null
  docker rm "$replica" >/dev/null
  echo "Replaced $replica"
done
