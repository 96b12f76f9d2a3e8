export type { Gate } from '../../lib/contract';
