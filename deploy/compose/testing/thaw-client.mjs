// The black-box client of the backend's tests, compiled by `npm run build` to CommonJS, hence the default import.
import thawClient from '../../../backend/dist/testing/thaw.client.js';

export const { ThawVisitor } = thawClient;
