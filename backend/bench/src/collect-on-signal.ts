// Preloaded into a server with --require and --expose-gc. SIGUSR2 forces a garbage collection, so that the measured
// memory is live memory.

process.on('SIGUSR2', () => (globalThis as { gc?: () => void }).gc?.());
