import { postgresPlace, sqlitePlace } from '../../support/gateway/stores.ts';
import { configurationContract } from './configuration.ts';

configurationContract('SQLite', sqlitePlace);
configurationContract('PostgreSQL', postgresPlace);
