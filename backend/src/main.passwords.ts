import 'reflect-metadata';
import { loadEnvironment } from './config/environment.config';
import { runPasswordCommand } from './modules/auth/application/password-command.functions';
import { PasswordResetService } from './modules/auth/application/password-reset.service';
import { PasswordsModule } from './passwords.module';
import { runOperatorCommand, withApplicationContext } from './platform/lifecycle/operator-command.functions';

// A command of operators: `main.passwords.js reset <e-mail>`.
void runOperatorCommand(
  () =>
    withApplicationContext(PasswordsModule.forRoot(loadEnvironment(process.env)), (app) =>
      runPasswordCommand(app.get(PasswordResetService), process.argv.slice(2)),
    ),
  'The password was not changed', // printed if the command fails
);
