import { speakLater } from '../../..';
import { en } from '../../../later/en';

speakLater(en);
