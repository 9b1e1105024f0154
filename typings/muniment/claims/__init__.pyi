from claims import *
