// Stops zod from compiling object schemas with eval, which the Content-Security-Policy forbids. main.tsx imports this
// file first, because a schema reads the setting on creation. The setting is a global variable, so that pages without
// schemas do not load zod.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

export {};
