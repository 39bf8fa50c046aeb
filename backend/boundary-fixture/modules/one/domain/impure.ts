import { randomUUID } from 'node:crypto';
import { DomainError } from '../../../../src/platform/errors/domain.errors';
import { thing } from '../../../platform/thing/thing';

export const impure = () => [randomUUID(), thing, DomainError];
