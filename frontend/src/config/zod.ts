import { config } from 'zod/v4/core';

// The Content-Security-Policy allows no eval, which zod would otherwise use to compile object schemas.
// Imported first by main.tsx: a schema reads this when it is made.
config({ jitless: true });
