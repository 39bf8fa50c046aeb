import { bannedWords, pronouns } from './banned-words.mjs';
import { findGuillemets, findWordsInName, findWordsInText } from './find-words.mjs';

// ESLint rules for the part of the house style (CONTRIBUTING.md) that a tool can check. They suggest words and have no
// automatic fixes.

const allWords = [...pronouns, ...bannedWords];
/** The maximum width of a line with a comment and the maximum length of a test title. Prettier wraps neither. */
const MAX_COLUMNS = 120;
const TEST_FUNCTIONS = new Set(['describe', 'suite', 'it', 'test', 't']);

/** Comments that are instructions to a tool. They are not checked. */
const DIRECTIVE = /^\s*(?:eslint-|@ts-)/;

const createRule = (description, create) => ({
  meta: {
    type: 'suggestion',
    schema: [],
    docs: { description },
    messages: {
      word: '"{{found}}": say {{instead}}.',
      tooLong: 'At most {{max}} columns.',
    },
  },
  create,
});

/**
 * Reports findings at their positions in the source.
 * @param {import('eslint').Rule.RuleContext} context
 * @param {number} start  offset of the searched text in the source
 * @param {import('./find-words.mjs').Finding[]} findings
 */
function reportAt(context, start, findings) {
  for (const { found, instead, index } of findings) {
    context.report({
      loc: {
        start: context.sourceCode.getLocFromIndex(start + index),
        end: context.sourceCode.getLocFromIndex(start + index + found.length),
      },
      messageId: 'word',
      data: { found, instead },
    });
  }
}

/** For comments and test titles. */
const findInProse = (text) => [...findWordsInText(text, allWords), ...findGuillemets(text)];
/** For texts that users may see. Of the banned words, only the gendered pronouns are reported there. */
const findInVisibleText = (text) => [...findWordsInText(text, pronouns), ...findGuillemets(text)];

/**
 * The name at the root of a callee, without modifiers: `it` for `it.each(table)`, and `t` for `t.test` of node:test.
 */
const getBaseName = (callee) => {
  switch (callee.type) {
    case 'Identifier':
      return callee.name;
    case 'MemberExpression':
      return getBaseName(callee.object);
    case 'CallExpression':
      return getBaseName(callee.callee);
    case 'TaggedTemplateExpression':
      return getBaseName(callee.tag);
    default:
      return undefined;
  }
};

const isTestTitle = (node) =>
  node.parent.type === 'CallExpression' &&
  node.parent.arguments[0] === node &&
  TEST_FUNCTIONS.has(getBaseName(node.parent.callee));

/** Whether an identifier declares a name. Uses of a name are not checked, so that each name is reported only once. */
function declaresName(node) {
  const { parent } = node;
  switch (parent.type) {
    case 'Property':
      // `{ name }` and `{ [name]: … }` use a name that is declared elsewhere.
      if (parent.shorthand || parent.computed) return false;
      // `{ key: value }` declares `value` if it destructures an object, and `key` if it creates one.
      return parent.parent.type === 'ObjectPattern' ? parent.value === node : parent.key === node;
    case 'VariableDeclarator':
    case 'ClassDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSEnumDeclaration':
    case 'TSEnumMember':
      return parent.id === node;
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'TSDeclareFunction':
      return parent.id === node || parent.params.includes(node);
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'TSPropertySignature':
    case 'TSMethodSignature':
      return parent.key === node && !parent.computed;
    case 'AssignmentPattern':
      return parent.left === node;
    case 'ImportSpecifier':
      // `import { name }` uses a name that another module declares; `import { name as local }` declares `local`.
      return parent.local === node && parent.imported.name !== node.name;
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
    case 'RestElement':
    case 'ArrayPattern':
    case 'TSParameterProperty':
    case 'TSTypeParameter':
      return true;
    default:
      return false;
  }
}

/** Reports what `find` finds in the literal parts of a template. */
const reportInTemplate = (context, template, find) => {
  for (const { range } of template.quasis) {
    const text = context.sourceCode.text.slice(...range);
    reportAt(context, range[0], find(text));
  }
};

/** Finds banned words in the comments of Lua or SQL code (`-- …`). Positions are relative to `text`. */
const findInEmbeddedComments = (text) =>
  [...text.matchAll(/(?<=^|\s)-- .*$/gm)].flatMap((comment) =>
    findInProse(comment[0]).map((finding) => ({ ...finding, index: comment.index + finding.index })),
  );

/** Reports lines of a comment that are too long, except lines with a URL. */
function reportWideLines(context, comment) {
  for (let line = comment.loc.start.line; line <= comment.loc.end.line; line += 1) {
    const text = context.sourceCode.lines[line - 1];
    if (text.length > MAX_COLUMNS && !/https?:/.test(text))
      context.report({
        loc: { line, column: MAX_COLUMNS },
        messageId: 'tooLong',
        data: { max: MAX_COLUMNS },
      });
  }
}

const reportLongTitle = (context, node) => {
  const title = context.sourceCode.getText(node).slice(1, -1); // without the quotes
  if (title.length > MAX_COLUMNS) context.report({ node, messageId: 'tooLong', data: { max: MAX_COLUMNS } });
};

const comments = createRule('Comments are in plain words, on lines that are not too long', (context) => ({
  Program() {
    for (const comment of context.sourceCode.getAllComments()) {
      const { value, range } = comment;
      if (DIRECTIVE.test(value)) continue;
      // `value` is the comment without the two characters at its start.
      reportAt(context, range[0] + 2, findInProse(value));
      reportWideLines(context, comment);
    }
  },
  TemplateLiteral: (node) => reportInTemplate(context, node, findInEmbeddedComments),
}));

const identifiers = createRule('Names are made of plain words', (context) => {
  const check = (node) => {
    if (declaresName(node)) reportAt(context, node.range[0], findWordsInName(node.name, allWords));
  };
  return { Identifier: check, PrivateIdentifier: check };
});

const testTitles = createRule('Titles of tests are in plain words and not too long', (context) => ({
  Literal(node) {
    if (typeof node.value !== 'string' || !isTestTitle(node)) return;
    reportAt(context, node.range[0], findInProse(context.sourceCode.getText(node)));
    reportLongTitle(context, node);
  },
  TemplateLiteral(node) {
    if (!isTestTitle(node)) return;
    reportInTemplate(context, node, findInProse);
    reportLongTitle(context, node);
  },
}));

const strings = createRule('Texts have neither gendered pronouns nor guillemets', (context) => {
  const check = (node) =>
    reportAt(context, node.range[0], findInVisibleText(context.sourceCode.getText(node)));
  return {
    Literal(node) {
      if (typeof node.value === 'string' && !isTestTitle(node)) check(node);
    },
    JSXText: check,
    TemplateLiteral(node) {
      if (!isTestTitle(node)) reportInTemplate(context, node, findInVisibleText);
    },
  };
});

export const plainWords = {
  meta: { name: 'plain-words' },
  rules: { comments, identifiers, 'test-titles': testTitles, strings },
};
