from conversations import *
