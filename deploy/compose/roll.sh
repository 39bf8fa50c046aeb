#!/bin/sh
# Rolls out the current images and settings without an interruption (docs/rolling-releases.md):
#   sh deploy/compose/roll.sh             a release: secrets, migrate, workers, replicas, the page
#   sh deploy/compose/roll.sh --back      back to the previous release, once its images are built: the page, replicas,
#                                         workers; the schema stays
#   sh deploy/compose/roll.sh <service>   only one service, such as `backend` after a change of its settings
# Workers and replicas are replaced one by one: an old container stops only when its replacement is ready. A failed step
# ends the roll, and containers that were not replaced continue to serve.
# Run it with the same environment or .env file as `docker compose up`.
set -eu

if [ -z "${COMPOSE_FILE:-}" ]; then
  COMPOSE_FILE=$(dirname "$0")/../../docker-compose.yml
  export COMPOSE_FILE
fi

replace_each() {
  service=$1
  old=$(docker compose ps -q "$service")
  # If no line matches, grep exits with 1, which would end the script (`set -e`).
  count=$(printf '%s' "$old" | grep -c . || true)
  if [ "$count" -eq 0 ]; then
    echo "No $service is running." >&2
    exit 1
  fi
  for container in $old; do
    # Starts one more container, from the new image. --no-recreate keeps the old ones running.
    docker compose up -d --no-deps --no-recreate --wait --scale "$service=$((count + 1))" "$service"
    # SIGTERM, then SIGKILL after stop_grace_period.
    docker stop "$container" >/dev/null
    docker rm "$container" >/dev/null
    echo "Replaced $service $container"
  done
}

replace_page() {
  docker compose up -d --no-deps --wait frontend
}

# --forward is the default.
case ${1:---forward} in
  --forward)
    # The new release may need a new secret, or an existing secret in one more service.
    docker compose run --rm --no-deps secrets
    docker compose run --rm --no-deps migrate
    # Workers first: they have to know every type of event that the new replicas append.
    replace_each worker
    replace_each backend
    replace_page
    ;;
  --back)
    replace_page
    replace_each backend
    replace_each worker
    ;;
  frontend) replace_page ;;
  -*)
    echo "Unknown option $1: --back, a service, or nothing for a release." >&2
    exit 2
    ;;
  *) replace_each "$1" ;;
esac
