from policy import *
