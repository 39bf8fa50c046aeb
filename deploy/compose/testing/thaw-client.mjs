// The black-box client of the backend's own tests, as `npm run build` compiles it; CommonJS, hence by its default.
import thawClient from '../../../backend/dist/testing/thaw.client.js';

export const { ThawVisitor } = thawClient;
