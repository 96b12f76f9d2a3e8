import { speakLater } from '../../..';
import { af } from '../../../later/af';

speakLater(af);
