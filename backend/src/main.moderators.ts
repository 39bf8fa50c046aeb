import 'reflect-metadata';
import { loadEnvironment } from './config/environment.config';
import { runModeratorsCommand } from './modules/users/application/moderators-command.functions';
import { ModeratorsService } from './modules/users/application/moderators.service';
import { runOperatorCommand, withApplicationContext } from './platform/lifecycle/operator-command.functions';
import { ReadModelsModule } from './read-models.module';

// A command of operators: `main.moderators.js add <e-mail> | remove <e-mail> | list`. `ReadModelsModule` contains
// `ModeratorsService`, the event log, and the read models that the new events update.
void runOperatorCommand(
  () =>
    withApplicationContext(ReadModelsModule.forRoot(loadEnvironment(process.env)), (app) =>
      runModeratorsCommand(app.get(ModeratorsService), process.argv.slice(2)),
    ),
  'Moderators were not changed', // printed if the command fails
);
