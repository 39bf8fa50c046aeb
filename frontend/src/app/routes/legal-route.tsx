export { LegalPage } from '@/features/legal/components/legal-page';
