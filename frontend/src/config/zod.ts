// The Content-Security-Policy allows no eval, which zod would otherwise use to compile object schemas. Imported first
// by main.tsx: a schema reads this when it is made. By zod's global, so that the pages without schemas do not load zod.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

export {};
