// Imports go one way: lib → ui → product → chat-ui → features → app; a feature never imports another.
const layers = ['lib', 'ui', 'product', 'chat-ui', 'features', 'app'];
/** boundary-fixture/ breaks every rule, to show that the check works (scripts/boundaries.mjs). */
const source = '(^|/)(src|boundary-fixture)/';
/** `source` has two groups, so the name of the feature is the third, `$3` in a rule. */
const feature = `${source}features/([^/]+)/`;
const game = `${source}features/random-chat/icebreaker/`;
const isSpec = '\\.spec\\.tsx?$';

const rule = (name, from, to) => ({ name, severity: 'error', from, to });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layers
      .slice(0, -1)
      .map((layer, index) =>
        rule(
          `${layer}-knows-nothing-above-it`,
          { path: `${source}${layer}/`, pathNot: isSpec },
          { path: `${source}(${layers.slice(index + 1).join('|')})/` },
        ),
      ),
    rule(
      'a-feature-imports-no-other',
      { path: feature },
      { path: feature, pathNot: `${source}features/$3/` },
    ),
    // Any layer may import from the contract, so the rule names the contract's questions of the game explicitly.
    rule(
      'chat-ui-knows-no-game',
      { path: `${source}chat-ui/` },
      { path: '/icebreaker/|(^|/)contract/(src|dist)/questions' },
    ),
    rule(
      'the-game-imports-only-state-and-store-of-its-chat',
      { path: game, pathNot: isSpec },
      {
        path: `${source}features/random-chat/`,
        pathNot: `${game}|/reducer/(random-chat[.]state|message-order)[.]ts$|/stores/random-chat[.]store[.]ts$`,
      },
    ),
    rule(
      'reducers-know-no-effects',
      { path: `${feature}reducer/`, pathNot: isSpec },
      { path: '/(api|stores|hooks|components)/|node_modules/(react|zustand|@tanstack)/' },
    ),
    rule(
      'stores-know-no-views',
      { path: `${feature}stores/`, pathNot: isSpec },
      { path: '/(hooks|components)/' },
    ),
    rule(
      'hooks-know-no-components',
      { path: `${feature}hooks/`, pathNot: isSpec },
      { path: `${feature}components/` },
    ),
    rule(
      'no-layer-imports-tests',
      { path: `${source}(${layers.join('|')})/`, pathNot: isSpec },
      { path: `${source}testing/|${isSpec}` },
    ),
    rule('no-cycles', { path: source }, { circular: true }),
    rule(
      'nothing-of-other-workspaces-but-the-contract',
      { path: source },
      { path: '(^|/)(backend|deploy)/' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
