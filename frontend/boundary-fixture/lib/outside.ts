export type { DomainError } from '../../../backend/src/platform/errors/domain-error';
