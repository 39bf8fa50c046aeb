import process from 'node:process';

/** The command line of `node --test` with a readable report on the console and a TAP report in the file `report`. */
export function createNodeTestCommand(report, files) {
  const createReporterArgs = (name, destination) => [
    `--test-reporter=${name}`,
    `--test-reporter-destination=${destination}`,
  ];
  return [
    process.execPath,
    '--test',
    ...createReporterArgs('spec', 'stdout'),
    ...createReporterArgs('tap', report),
    ...files,
  ];
}
