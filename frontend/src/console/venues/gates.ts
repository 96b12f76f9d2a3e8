export interface Gate {
  id: string;
  venue_id: string;
  gate_code: string;
  name: string;
  status: 'open' | 'closed';
  capacity: number | null;
  version: number;
}
