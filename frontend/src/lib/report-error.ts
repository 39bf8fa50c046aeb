import { type ErrorInfo } from 'react';

/** The one place that rendering errors reach; an operator's collector is called from here. */
export const reportRenderError = (error: unknown, { componentStack }: ErrorInfo): void =>
  console.error('A part of the page could not be rendered', error, componentStack ?? '');
