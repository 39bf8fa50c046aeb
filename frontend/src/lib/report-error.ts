import { type ErrorInfo } from 'react';

/** Receives every rendering error. Call an operator's error collector here. */
export const reportRenderError = (error: unknown, { componentStack }: ErrorInfo): void =>
  console.error('A part of the page could not be rendered', error, componentStack ?? '');
