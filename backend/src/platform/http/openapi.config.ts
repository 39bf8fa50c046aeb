import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { completeDocument } from './openapi-document.functions';

/** Serves an OpenAPI 3.1 document, generated from controllers and DTOs, and a page at /api/docs that shows it. */
export const setUpApiDocs = (app: NestExpressApplication): void => {
  const baseDocument = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Thaw')
    .setDescription('Random one-to-one chat. Identity is the session cookie alone.')
    .setVersion('1')
    .addCookieAuth('thaw.sid')
    .build();
  SwaggerModule.setup(
    'api/docs',
    app,
    () => completeDocument(SwaggerModule.createDocument(app, baseDocument)),
    {
      jsonDocumentUrl: 'api/docs/openapi.json',
      yamlDocumentUrl: 'api/docs/openapi.yaml',
    },
  );
};
