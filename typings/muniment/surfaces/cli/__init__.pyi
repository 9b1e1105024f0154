from surfaces.cli import *
