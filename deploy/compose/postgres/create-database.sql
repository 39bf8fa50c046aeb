-- At the first start of the volume: the product owns one database and is no superuser.
\set password `cat /run/thaw/database-password`
CREATE ROLE thaw LOGIN PASSWORD :'password';
CREATE DATABASE thaw OWNER thaw;
REVOKE CONNECT ON DATABASE thaw FROM PUBLIC;
