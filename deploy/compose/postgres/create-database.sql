-- Runs on the first start of the volume. The role of the running service owns nothing and is no superuser; `migrate`
-- grants it what it needs.
\set password `cat /run/thaw/database-password`
CREATE ROLE thaw LOGIN PASSWORD :'password';
CREATE DATABASE thaw;
REVOKE CONNECT ON DATABASE thaw FROM PUBLIC;
GRANT CONNECT ON DATABASE thaw TO thaw;
