import { speak } from '../..';
import { en } from '../../en';

speak(en);
