// Jest resolves every import of a style sheet to this file, because the unit tests load no styles.
export {};
