import { fake } from '../../../testing/fake';
import fc from 'fast-check';
import undeclared from 'append-field';
import nowhere from './nowhere';
import { limits } from '../../../../../frontend/src/main';

export const inner = [fake, fc, undeclared, nowhere, limits];
