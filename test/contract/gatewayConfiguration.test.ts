import { postgresPlace, sqlitePlace } from '../support/gateway/stores.ts';
import { configurationContract } from './gatewayConfiguration.ts';

configurationContract('SQLite', sqlitePlace);
configurationContract('PostgreSQL', postgresPlace);
