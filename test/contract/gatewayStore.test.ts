import { postgresPlace, sqlitePlace } from '../support/gateway/stores.ts';
import { activityContract } from './gatewayActivity.ts';
import { limitReplicaContract } from './gatewayLimitReplicas.ts';
import { limitsContract } from './gatewayLimits.ts';
import { readsContract } from './gatewayReads.ts';
import { replicaContract } from './gatewayReplicas.ts';
import { storeContract } from './gatewayStore.ts';

storeContract('SQLite', sqlitePlace);
storeContract('PostgreSQL', postgresPlace);
replicaContract(postgresPlace);
activityContract('SQLite', sqlitePlace);
activityContract('PostgreSQL', postgresPlace);
readsContract('SQLite', sqlitePlace);
readsContract('PostgreSQL', postgresPlace);
limitsContract('SQLite', sqlitePlace);
limitsContract('PostgreSQL', postgresPlace);
limitReplicaContract(postgresPlace);
