// This file is loaded with `--require` and replaces the option --enable-source-maps. Once source maps are enabled, Node
// reads them for each file that it loads. TypeORM alone has 5.6 MB of source maps, which cost 7 % of the CPU time of a
// start (docs/decisions/0060). So the large packages are loaded first.
import '@nestjs/core';
import 'typeorm';

process.setSourceMapsEnabled(true);
