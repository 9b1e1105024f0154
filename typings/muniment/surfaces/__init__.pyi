from surfaces import *
