// Loaded with `--require`, in place of --enable-source-maps: Node reads the source map of each file that is loaded
// after the switch. TypeORM alone has 5.6 MB of them, which cost 7 % of the CPU time of a start (docs/decisions/0060).
import '@nestjs/core';
import 'typeorm';

process.setSourceMapsEnabled(true);
