// Replaces style sheets, which the unit tests do not load.
export {};
