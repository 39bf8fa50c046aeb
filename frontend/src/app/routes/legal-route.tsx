// A route file of its own: scripts/prerender.mjs finds the scripts of the legal pages by this path.
export { LegalPage } from '@/features/legal/components/legal-page';
