// Rules for the directions of imports in backend and contract; frontend/ has its own rules. A domain imports only the
// contract; modules import the platform, never the reverse; a module imports from another module only its Nest module,
// its application services, its DTOs and `sharedEvents`. The contract imports only zod/mini. The code in
// boundary-fixture/ breaks every rule, to test that violations are found (backend/scripts/boundaries.mjs).
const source = '^(backend/(src|boundary-fixture)|contract/(src|boundary-fixture))/';
const isTest = '[.](spec|integration-spec)[.]ts$|/testing/';
const contract = '(^|/)contract/(src|dist)/';

/** The only platform files that a domain may import: the errors for refusals, and the types of a decider. */
const platformFilesForDomains = '/platform/(errors/domain[.]errors|event-store/decider[.]types)[.]ts$';

/** Events of `standings`, and their fold to a state. `conduct` appends these events, and its own fold uses this one. */
const sharedEvents = '/modules/standings/domain/standing[.](events|state)[.]ts$';

/** docs/decisions/0043-a-suffix-says-the-kind-of-a-file.md */
const kinds = [
  'module|controller|gateway|guard|filter|pipe|interceptor|middleware|strategy|decorator|dto|entity',
  'service|repository|processor|registry|adapter|port|client|driver|codec|parser|mapper|limiter|pool|queue|model',
  'events|commands|state|decider|rules|projection|event-types|scripts|sql',
  'config|limits|keys|errors|types|factory|functions|process|fixture|harness|proxy|probe|setup',
  'spec|integration-spec',
].join('|');

const rule = (name, from, to) => ({ name, severity: 'error', from, to });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    rule(
      'domain-imports-only-the-contract',
      { path: '/modules/([^/]+)/domain/', pathNot: isTest },
      { pathNot: `/modules/$1/domain/|${contract}|${platformFilesForDomains}|${sharedEvents}` },
    ),
    rule(
      'platform-imports-no-module',
      { path: '^backend/[^/]+/(platform|config|migrations)/', pathNot: isTest },
      // The files directly in src/, such as api.module.ts, compose the modules.
      { path: '^backend/[^/]+/([^/]+[.]ts$|modules/)' },
    ),
    rule(
      'other-modules-are-used-through-module-services-and-dtos',
      { path: '/modules/([^/]+)/', pathNot: isTest },
      {
        path: '/modules/[^/]+/',
        pathNot: `/modules/($1/|[^/]+/([^/]+[.]module[.]ts$|application/|.*[.]dto[.]ts$))|${sharedEvents}`,
      },
    ),
    rule(
      'only-the-nest-module-imports-the-transport',
      // Without `domain`, which the first rule covers.
      { path: '/modules/[^/]+/(application|infrastructure|projections|jobs)/', pathNot: isTest },
      { path: '/modules/[^/]+/transport/' },
    ),
    rule(
      'the-contract-imports-only-zod-mini',
      { path: '^contract/(src|boundary-fixture)/', pathNot: isTest },
      { pathNot: '^contract/(src|boundary-fixture)/|node_modules/zod/mini/' },
    ),
    rule('no-cycles', { path: source }, { circular: true }),
    rule('the-product-does-not-import-its-tests', { path: source, pathNot: isTest }, { path: isTest }),
    rule(
      'the-contract-is-the-only-imported-workspace',
      { path: '^backend/' },
      { path: '^(frontend|deploy)/' },
    ),
    rule(
      'a-suffix-says-the-kind-of-a-file',
      {
        path: '^backend/(src|boundary-fixture)/',
        pathNot: `[.](${kinds})[.](ts|cjs)$|/main[.][a-z]+[.]ts$|/migrations/[0-9]+-[a-z-]+[.]ts$|[.]d[.]ts$`,
      },
      {},
    ),
    rule('every-import-resolves', { path: source }, { couldNotResolve: true }),
    rule(
      'every-package-is-declared',
      { path: source },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], pathNot: contract },
    ),
    rule(
      'the-product-runs-without-dev-dependencies',
      { path: source, pathNot: isTest },
      // A package may be a production dependency as well. Imports of types do not exist at run time.
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'], pathNot: contract },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules|^contract/dist/' },
    exclude: { path: '(^|/)@types/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'require', 'node', 'default'],
    },
  },
};
