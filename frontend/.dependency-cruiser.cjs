// Imports go one way: lib → ui → product → chat-ui → features → app; a feature never imports another.
const layers = ['lib', 'ui', 'product', 'chat-ui', 'features', 'app'];
const outside = ['testing', 'config', 'styles'];
const source = '(^|/)(src|boundary-fixture)/';
const isSpec = '\\.spec\\.tsx?$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layers.slice(0, -1).map((layer, index) => ({
      name: `${layer}-knows-nothing-above-it`,
      severity: 'error',
      from: { path: `${source}${layer}/`, pathNot: isSpec },
      to: { path: `${source}(${layers.slice(index + 1).join('|')})/` },
    })),
    {
      name: 'a-feature-imports-no-other',
      severity: 'error',
      from: { path: `${source}features/([^/]+)/` },
      to: { path: `${source}features/([^/]+)/`, pathNot: `${source}features/$3/` },
    },
    {
      name: 'the-product-does-not-import-its-tests',
      severity: 'error',
      from: { path: `${source}(${layers.join('|')})/`, pathNot: isSpec },
      to: { path: `${source}(${outside[0]})/|${isSpec}` },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: source },
      to: { circular: true },
    },
    {
      name: 'nothing-of-other-workspaces-but-the-contract',
      severity: 'error',
      from: { path: source },
      to: { path: '(^|/)(backend|deploy)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
