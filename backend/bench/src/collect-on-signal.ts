// Loaded into a server by --require, with --expose-gc: SIGUSR2 collects garbage, so that memory means memory.

process.on('SIGUSR2', () => (globalThis as { gc?: () => void }).gc?.());
