import process from 'node:process';

/** Creates the command line of `node --test`, with a readable report on the console and a TAP report in a file. */
export function createNodeTestCommand(reportFile, files) {
  const createReporterArgs = (name, destination) => [
    `--test-reporter=${name}`,
    `--test-reporter-destination=${destination}`,
  ];
  return [
    process.execPath,
    '--test',
    ...createReporterArgs('spec', 'stdout'),
    ...createReporterArgs('tap', reportFile),
    ...files,
  ];
}
