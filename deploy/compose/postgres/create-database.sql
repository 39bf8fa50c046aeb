-- Runs on the first start, when the volume is empty. The role of the running service is not a superuser and owns no
-- tables; migrations grant its permissions.
\set password `cat /run/thaw/database-password`
CREATE ROLE thaw LOGIN PASSWORD :'password';
CREATE DATABASE thaw;
REVOKE CONNECT ON DATABASE thaw FROM PUBLIC;
GRANT CONNECT ON DATABASE thaw TO thaw;
