import { speak } from '../..';
import { af } from '../../af';

speak(af);
